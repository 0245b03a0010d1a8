import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { REFUSED_BODY_MAX_BYTES, REFUSED_BODY_MAX_MS } from '@flotilla/contract/limits'

type Limits = { bytes: number; ms: number }
const limits: Limits = { bytes: REFUSED_BODY_MAX_BYTES, ms: REFUSED_BODY_MAX_MS }

/**
 * A reply that arrives even while the client is still sending the refused request's body. A connection that is closed
 * while there is unread data on it is reset, and the reset makes the client drop an answer it has not read yet. So the
 * whole answer goes out at once, and the connection is closed only after the client has stopped sending.
 */
export function answerToSender(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: string,
): string | Readable {
  const { raw } = request
  if (raw.complete || raw.readableEnded || !hasBody(raw)) return answer
  // The length tells the client that the answer is complete, before the connection is closed.
  reply.header('connection', 'close').header('content-length', Buffer.byteLength(answer))
  return Readable.from(answerThenDrain(answer, raw))
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > 0

async function* answerThenDrain(answer: string, body: IncomingMessage): AsyncGenerator<string> {
  yield answer
  await drain(body)
}

/** Discards the rest of the body, within limits, because a client may never stop. */
export function drain(body: IncomingMessage, { bytes, ms }: Limits = limits): Promise<void> {
  return new Promise((resolve) => {
    let received = 0
    const count = (chunk: Buffer) => {
      received += chunk.length
      if (received > bytes) stop()
    }
    const stop = () => {
      clearTimeout(timer)
      body.off('data', count)
      resolve()
    }
    const timer = setTimeout(stop, ms)
    body.once('end', stop).once('close', stop).once('error', stop).on('data', count)
  })
}
