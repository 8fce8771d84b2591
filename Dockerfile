# weir as an image that holds one executable and the C library it needs: no shell, no package manager.
#
#   docker build --tag weir .
#   docker run --name weir --read-only --cap-drop ALL --security-opt no-new-privileges \
#     --publish 127.0.0.1:8080:8080 --env WEIR_PUBLIC_URL=http://localhost:8080 \
#     --volume weir-data:/data --memory 2g --stop-timeout 20 weir
#   docker exec weir weir doctor
#
# Only one container at a time may use a volume. Behind a proxy, set WEIR_TRUSTED_PROXIES to its address.

FROM node:24-bookworm-slim AS build
# The version that package.json names.
RUN npm install --global bun@1.4.5
WORKDIR /build
COPY package.json bun.lock bunfig.toml ./
RUN bun install --frozen-lockfile --production
COPY . .
RUN bun build.ts
# The executable and the libraries that it is linked to, at the paths where the loader finds them.
RUN mkdir -p /image/usr/local/bin && mkdir -m 700 /empty \
 && cp dist/weir /image/usr/local/bin/weir \
 && ldd dist/weir | grep -o '/[^ ]*' | xargs cp --dereference --parents --target-directory=/image

FROM scratch
LABEL org.opencontainers.image.title="weir" \
      org.opencontainers.image.description="A self-hosted phishing threat-data service" \
      org.opencontainers.image.licenses="MIT"
COPY --from=build /image/ /
# The only directory that weir writes to. The account below owns it, and needs no name.
COPY --from=build --chown=65532:65532 /empty /data
ENV WEIR_HOST=0.0.0.0 WEIR_PORT=8080 WEIR_DATA=/data
USER 65532:65532
WORKDIR /data
VOLUME /data
EXPOSE 8080
# Requests in progress have ten seconds to finish: see --stop-timeout above.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --retries=3 \
  CMD ["/usr/local/bin/weir", "healthcheck"]
ENTRYPOINT ["/usr/local/bin/weir"]
CMD ["serve"]
