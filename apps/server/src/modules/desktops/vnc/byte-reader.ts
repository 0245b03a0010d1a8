// Stream readers buffer whatever arrives; this one disconnects a sender of more data than any handshake has.

/** Far more than a handshake takes. */
const HELD_MAX_BYTES = 64 * 1024

/** Reads exact numbers of bytes from pieces as they arrive, for the few bytes of a handshake. */
export class ByteReader {
  private held: Buffer = Buffer.alloc(0)
  private waiting: { length: number; resolve(bytes: Buffer): void; reject(error: Error): void } | undefined
  private ended: Error | undefined

  /** `cutOff` disconnects a sender that exceeds the length of any handshake. */
  constructor(
    private readonly cutOff: () => void,
    private readonly maxBytes = HELD_MAX_BYTES,
  ) {}

  push(piece: Buffer): void {
    if (this.ended) return
    if (this.held.length + piece.length > this.maxBytes) {
      this.held = Buffer.alloc(0)
      this.end(new Error('More was sent than a handshake can be.'))
      return this.cutOff()
    }
    this.held = this.held.length === 0 ? piece : Buffer.concat([this.held, piece])
    this.serve()
  }

  end(error: Error): void {
    this.ended ??= error
    this.waiting?.reject(error)
    this.waiting = undefined
  }

  /** One read at a time. */
  read(length: number): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      if (this.ended && this.held.length < length) return reject(this.ended)
      this.waiting = { length, resolve, reject }
      this.serve()
    })
  }

  /** The bytes received after the last read. */
  rest(): Buffer {
    const { held } = this
    this.held = Buffer.alloc(0)
    return held
  }

  private serve(): void {
    const { waiting, held } = this
    if (!waiting || held.length < waiting.length) return
    this.waiting = undefined
    this.held = held.subarray(waiting.length)
    waiting.resolve(held.subarray(0, waiting.length))
  }
}
