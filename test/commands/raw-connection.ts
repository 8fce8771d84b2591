/** A connection on which a test decides byte by byte what is sent, and when. */

import { connect, type Socket } from 'node:net'

export class RawConnection {
  /** Resolves when the server has closed the connection, with all it said. */
  readonly closed: Promise<string>
  readonly #socket: Socket
  #said = ''
  #listeners: (() => void)[] = []

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.on('data', (bytes) => {
      this.#said += bytes.toString()
      for (const listener of this.#listeners) listener()
    })
    socket.on('end', () => socket.end())
    this.closed = new Promise((resolve, reject) => {
      socket.on('close', () => resolve(this.#said))
      socket.on('error', reject)
    })
    // A failure reaches the caller that waits for the end; it is handled before that.
    this.closed.catch(() => {})
  }

  static open(url: string): Promise<RawConnection> {
    const { hostname, port } = new URL(url)
    const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true })
    return new Promise((resolve, reject) => {
      socket.once('error', reject)
      socket.once('connect', () => {
        socket.off('error', reject)
        resolve(new RawConnection(socket))
      })
    })
  }

  send(bytes: string | Uint8Array): void {
    this.#socket.write(bytes)
  }

  /** Closes this half of the connection; the server may still say what it has to. */
  sendNoMore(): void {
    this.#socket.end()
  }

  /** Reads nothing any more of what the server says. */
  readNoMore(): void {
    this.#socket.pause()
  }

  /** Leaves; what the server still has to say is not waited for. */
  end(): void {
    this.#socket.destroy()
  }

  /** Resolves when the server has said `text`. */
  heard(text: string): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (this.#said.includes(text)) resolve()
      }
      this.#listeners.push(look)
      look()
    })
  }
}
