import { api } from '@flotilla/contract/api'
import { dirname } from 'node:path'
import { parts } from '../scripts/parts/parts.mjs'
import { SOAK, expect, test } from './support/fixtures'
import { openApp } from './support/open-app'
import { call, logIn, newPerson, openLive } from './support/people'

const environment = dirname(dirname(parts.find(({ name }) => name === 'tensorboard')?.find() ?? ''))

/** A training job whose events are written with TensorBoard's own writer. */
const training = `#!/bin/bash
${environment}/bin/python3 - <<'END'
import os
from tensorboard.compat.proto.event_pb2 import Event
from tensorboard.compat.proto.summary_pb2 import Summary
from tensorboard.summary.writer.event_file_writer import EventFileWriter
writer = EventFileWriter(os.path.expanduser("~/runs"))
for step in range(20):
    summary = Summary(value=[Summary.Value(tag="training loss", simple_value=1 / (step + 1))])
    writer.add_event(Event(wall_time=1.7e9 + step, step=step, summary=summary))
writer.close()
END
`

test(
  'TensorBoard shows the events that a job wrote',
  { tag: SOAK },
  async ({ page, context, server, picture }) => {
    const ada = await newPerson(server, ['instructor', 'user'])
    const { token } = await logIn(server, ada)
    const [machine] = (await call(server, api.clusters.list, {}, token)).filter(
      ({ name }) => name === 'This machine',
    )
    const cluster = machine?.id ?? ''
    const body = { name: 'training', data: { script: training } }
    const { id } = await call(server, api.jobs.create, { body }, token)
    await call(server, api.jobs.submit, { body: { id, cluster } }, token)
    const state = async () => (await call(server, api.jobs.view, { id }, token)).lastSubmission?.state
    await expect.poll(state).toBe('completed')

    await openLive(page, server, ada, '/apps')
    const board = await openApp(page, context, 'TensorBoard', environment)
    await expect(board.getByText('training loss').first()).toBeVisible({ timeout: 120_000 })
    await picture('apps-tensorboard', board)
    // The next test on this server needs the session's core.
    for (const session of await call(server, api.appSessions.list, {}, token))
      await call(server, api.appSessions.end, { id: session.id }, token)
  },
)
