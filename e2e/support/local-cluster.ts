import { api } from '@flotilla/contract/api'
import { expect, type Page } from '@playwright/test'
import { adminToken, call } from './people'
import type { Server } from './server'

export type Made = { id: string; name: string }

/** Creates and deploys a cluster with two virtual nodes on this machine, through the API. */
export async function newLocalCluster(server: Server, name: string, change: object = {}): Promise<Made> {
  const token = await adminToken(server)
  const data = {
    manager: 'none',
    transport: 'local',
    virtualNodes: { count: 2, cores: 1, prefix: 'blade' },
  } as const
  const made = await call(server, api.clusters.createLocal, { body: { name, data, ...change } }, token)
  await call(server, api.clusters.deploy, { body: { id: made.id } }, token)
  return made
}

/** The cluster that every site has. */
export async function thisMachine(server: Server): Promise<string> {
  const clusters = await call(server, api.clusters.list, {}, await adminToken(server))
  return clusters.find(({ name }) => name === 'This machine')?.id ?? ''
}

/** Expects that the page shows a cluster in this state. */
export const expectState = (page: Page, state: string) =>
  expect(page.getByRole('main').getByText(state, { exact: true }).first()).toBeVisible()
