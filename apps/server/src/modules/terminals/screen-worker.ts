import { setTimeout as pause } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import type { FromScreen, ToScreen } from './kept-screen'
import { makeScreen, type Size } from './screen'

// Each terminal's screen has its own thread: parsing output takes time, and a hostile program decides how much.

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
const send = (message: FromScreen): void => parentPort?.postMessage(message)
let answering = false
// The cast is safe: kept-screen.ts of the same build starts this thread with the size.
const screen = makeScreen(workerData as Size, (text) => {
  if (answering) send({ kind: 'answer', text })
})

async function take(message: ToScreen): Promise<void> {
  if (message.kind === 'resize') return screen.resize(message.size)
  if (message.kind === 'show') return send({ kind: 'screen', request: message.request, text: screen.text() })
  answering = message.answers
  const began = performance.now()
  await screen.write(message.text)
  send({ kind: 'read', length: message.text.length })
  // While no browser is connected, a flood of output uses at most half a core.
  if (answering) await pause(performance.now() - began)
}

let last = Promise.resolve()
parentPort?.on('message', (message: ToScreen) => {
  last = last.then(() => take(message))
})
