import type { ByteReader } from './byte-reader'
import { answerChallenge, CHALLENGE_BYTES, isRightAnswer, newChallenge } from './auth'

// By hand: npm has RFB clients that draw a screen, and none that takes part in two handshakes and then lets bytes pass.

/** The one version of RFB that both sides speak here. */
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

/** A VNC server announces itself first, so this tells whether one is there. */
export async function readVersion({ reader }: Side): Promise<void> {
  const version = (await reader.read(VERSION.length)).toString('latin1')
  if (!/^RFB 003\.\d{3}\n$/.test(version)) throw new Error('The response did not come from a VNC server.')
}

/** Logs in to the VNC server in the viewer's place: the password stays here. */
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

/** The viewer has already shown a ticket; with `password` it must know that too. */
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
  // Whether it wants the desktop to itself; here desktops are always shared.
  await viewer.reader.read(1)
}
