import type { ByteReader } from './byte-reader'
import { answerChallenge, CHALLENGE_BYTES, isRightAnswer, newChallenge } from './auth'

// Implemented here because the RFB clients on npm draw a screen; none does two handshakes and then relays bytes.

/** The only supported version of RFB. */
const VERSION = Buffer.from('RFB 003.008\n')
const NONE = 1
const VNC_AUTH = 2
const ACCEPTED = Buffer.alloc(4)

export type Side = { reader: ByteReader; write(bytes: Buffer): void }

const withLength = (text: string): Buffer => {
  const bytes = Buffer.from(text)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return Buffer.concat([length, bytes])
}

/** Verifies that the other side is a VNC server, which sends its version first. */
export async function readVersion({ reader }: Side): Promise<void> {
  const version = (await reader.read(VERSION.length)).toString('latin1')
  if (!/^RFB 003\.\d{3}\n$/.test(version)) throw new Error('The response did not come from a VNC server.')
}

/** Logs in to the VNC server on behalf of the viewer, which does not get the password. */
export async function logIn(server: Side, password: string): Promise<void> {
  await readVersion(server)
  server.write(VERSION)
  const count = (await server.reader.read(1)).readUInt8()
  const types = await server.reader.read(count)
  if (!types.includes(VNC_AUTH)) throw new Error('The VNC server does not accept a password.')
  server.write(Buffer.from([VNC_AUTH]))
  server.write(answerChallenge(password, await server.reader.read(CHALLENGE_BYTES)))
  if ((await server.reader.read(4)).readUInt32BE() !== 0)
    throw new Error('The VNC server did not accept its password.')
}

/** Does the viewer's handshake. The viewer has already presented a ticket; with `password`, it must also know that. */
export async function authenticateViewer(viewer: Side, password: string | null): Promise<void> {
  viewer.write(VERSION)
  if (!(await viewer.reader.read(VERSION.length)).equals(VERSION))
    throw new Error('The viewer does not support RFB 3.8.')
  const type = password === null ? NONE : VNC_AUTH
  viewer.write(Buffer.from([1, type]))
  if ((await viewer.reader.read(1)).readUInt8() !== type)
    throw new Error('The viewer did not choose the offered authentication method.')
  if (password !== null) {
    const challenge = newChallenge()
    viewer.write(challenge)
    if (!isRightAnswer(password, challenge, await viewer.reader.read(CHALLENGE_BYTES))) {
      viewer.write(Buffer.concat([Buffer.from([0, 0, 0, 1]), withLength('Wrong password')]))
      throw new Error('Wrong password')
    }
  }
  viewer.write(ACCEPTED)
  // Ignores the flag for exclusive access, because desktops are always shared.
  await viewer.reader.read(1)
}
