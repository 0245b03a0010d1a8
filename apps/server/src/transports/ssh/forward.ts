import type { Duplex } from 'node:stream'
import { messageOf } from '../../explain'
import { unlessAborted } from '../abort'
import { TransportError } from '../error'
import { openOn } from './channels'
import { lostError, type SshLink } from './link'

/** A TCP connection that the remote host opens for us. */
export async function forward(
  link: SshLink,
  host: string,
  to: string,
  port: number,
  signal?: AbortSignal,
): Promise<Duplex> {
  const client = await link.connection(signal)
  const opening = openOn(client, (on, done) => on.forwardOut('127.0.0.1', 0, to, port, done))
  try {
    return (await unlessAborted(opening, signal)).channel
  } catch (error) {
    opening.then(({ channel }) => channel.close()).catch(() => undefined)
    if (signal?.aborted) throw error
    if (!link.connected) throw lostError(host)
    const detail = messageOf(error)
    const forbidden = /prohibited/i.test(detail)
    throw new TransportError(
      'open channel',
      forbidden ? 'denied' : 'failed',
      forbidden
        ? `${host} does not allow connections through SSH. Set AllowTcpForwarding to yes in its sshd_config.`
        : `${host} could not connect to ${to}:${port}: ${detail}.`,
      { cause: error },
    )
  }
}
