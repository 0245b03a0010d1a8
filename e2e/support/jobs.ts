import { api } from '@flotilla/contract/api'
import type { Page } from '@playwright/test'
import { adminToken, call } from './people'
import type { Server } from './server'

type Saved = { id: string; name: string }

/** Creates a job through the API, by default as the first admin. */
export const newJob = async (
  server: Server,
  name: string,
  script: string,
  more: object = {},
  token?: string,
): Promise<Saved> =>
  call(
    server,
    api.jobs.create,
    { body: { name, data: { script, walltime: '00:10:00', ...more } } },
    token ?? (await adminToken(server)),
  )

export const history = (page: Page) => page.getByRole('table', { name: 'Submissions' })
export const output = (page: Page) => page.getByRole('log', { name: /^Output/ })
