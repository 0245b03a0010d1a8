import type { DesktopMode } from '@flotilla/contract/desktops/desktops'

// Only parses the parts of RFB that are needed to filter a viewer's messages: their types and lengths.

/** Larger clipboards are not forwarded to the desktop. */
const CLIPBOARD_MAX_BYTES = 1024 * 1024
const ENCODINGS_MAX = 1000
/**
 * With this encoding, a pointer event may be a byte longer, depending on what the server negotiated, which is not
 * parsed here. Without it only the side buttons of a mouse do not work.
 */
const EXTENDED_MOUSE_BUTTONS = -316

const SET_ENCODINGS = 2
const CUT_TEXT = 6

/** The length of a message; undefined until enough of it has arrived. */
type LengthOf = (head: Buffer) => number | undefined
const fixed =
  (length: number): LengthOf =>
  () =>
    length
const counted =
  (least: number, length: (head: Buffer) => number): LengthOf =>
  (head) =>
    head.length < least ? undefined : length(head)

type Kind = {
  length: LengthOf
  /** Changes nothing on the desktop, so that it is allowed in view mode. */
  harmless?: true
  /** Counts as activity of the user. */
  activity?: true
}
/** Every message that a viewer can send. */
const kinds: Record<number, Kind> = {
  /* SetPixelFormat */ 0: { length: fixed(20), harmless: true },
  [SET_ENCODINGS]: { length: counted(4, (head) => 4 + 4 * head.readUInt16BE(2)), harmless: true },
  /* FramebufferUpdateRequest */ 3: { length: fixed(10), harmless: true },
  /* KeyEvent */ 4: { length: fixed(8), activity: true },
  /* PointerEvent */ 5: { length: fixed(6), activity: true },
  // A negative length marks the extended form.
  [CUT_TEXT]: { length: counted(8, (head) => 8 + Math.abs(head.readInt32BE(4))) },
  /* EnableContinuousUpdates */ 150: { length: fixed(10), harmless: true },
  /* Fence */ 248: { length: counted(9, (head) => 9 + head.readUInt8(8)), harmless: true },
  /* xvp */ 250: { length: fixed(4) },
  /* SetDesktopSize */ 251: { length: counted(8, (head) => 8 + 16 * head.readUInt8(6)) },
  /* QEMU extended key */ 255: { length: fixed(12), activity: true },
}

/** Removes the encodings that would change the format of messages. */
function understood(message: Buffer): Buffer {
  const encodings = Array.from({ length: message.readUInt16BE(2) }, (_, at) =>
    message.readInt32BE(4 + 4 * at),
  )
  const kept = encodings.filter((encoding) => encoding !== EXTENDED_MOUSE_BUTTONS)
  const rewritten = Buffer.alloc(4 + 4 * kept.length)
  rewritten.writeUInt8(SET_ENCODINGS)
  rewritten.writeUInt16BE(kept.length, 2)
  kept.forEach((encoding, at) => rewritten.writeInt32BE(encoding, 4 + 4 * at))
  return rewritten
}

type Events = { forward(bytes: Buffer): void; activity(): void }

/**
 * Parses a viewer's messages and forwards those that its mode allows: in view mode, keys, pointer, clipboard and size
 * never reach the desktop, whatever the viewer sends. Throws on unknown messages.
 */
export function makeClientFilter(mode: DesktopMode, { forward, activity }: Events) {
  /** An incomplete message, of which `filled` bytes have arrived. It has its full length as soon as that is known. */
  let held = Buffer.alloc(0)
  let filled = 0
  /** The number of remaining bytes of a dropped message. */
  let skip = 0

  return (piece: Buffer): void => {
    // A long message may arrive in very many pieces, so its beginning is not copied again for each piece.
    if (filled + piece.length < held.length) {
      filled += piece.copy(held, filled)
      return
    }
    let data = filled === 0 ? piece : Buffer.concat([held.subarray(0, filled), piece])
    let needed = 0
    const passed: Buffer[] = []
    while (data.length > 0) {
      if (skip > 0) {
        const now = Math.min(skip, data.length)
        skip -= now
        data = data.subarray(now)
        continue
      }
      const type = data.readUInt8()
      const kind = kinds[type]
      if (!kind) throw new Error(`The viewer sent a message of the unknown type ${type}.`)
      const length = kind.length(data)
      if (length === undefined) break
      if (type === SET_ENCODINGS && length > 4 + 4 * ENCODINGS_MAX)
        throw new Error('The viewer offers too many encodings.')
      if (kind.activity) activity()
      const isAllowed = mode === 'control' || kind.harmless
      if (!isAllowed || (type === CUT_TEXT && length > CLIPBOARD_MAX_BYTES)) {
        skip = length
        continue
      }
      if (data.length < length) {
        needed = length
        break
      }
      const message = data.subarray(0, length)
      passed.push(type === SET_ENCODINGS ? understood(message) : message)
      data = data.subarray(length)
    }
    // Copied, so that the whole piece is not kept in memory for a few bytes.
    held = Buffer.alloc(Math.max(needed, data.length))
    filled = data.copy(held)
    if (passed.length > 0) forward(passed.length === 1 ? (passed[0] ?? data) : Buffer.concat(passed))
  }
}
