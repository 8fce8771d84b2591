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
    this.closed = new Promise((resolve, reject) => {
      socket.on('close', () => resolve(this.#said))
      socket.on('error', reject)
    })
    // Whoever waits for the end hears of a failure; until then nobody has to.
    this.closed.catch(() => {})
  }

  static open(url: string): Promise<RawConnection> {
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname)
    return new Promise((resolve, reject) => {
      socket.once('error', reject)
      socket.once('connect', () => {
        socket.off('error', reject)
        resolve(new RawConnection(socket))
      })
    })
  }

  send(text: string): void {
    this.#socket.write(text)
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
