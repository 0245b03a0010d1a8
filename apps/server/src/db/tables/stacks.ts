import type { ColumnType, Generated } from 'kysely'
import type { Manager } from '@flotilla/contract/clusters/inputs'
import type { ProviderId } from '@flotilla/contract/site/config'
import type { ImageRole, StackFileField } from '@flotilla/contract/stacks/entity'
import type { StackState } from '@flotilla/contract/stacks/states'
import type { Json } from './json-column'
import type { LogRow } from './log'

export type CredentialRow = {
  id: string
  owner_id: string
  name: string
  description: string
  provider: ProviderId
  sealed_data: string
  last_test: ColumnType<unknown, string | null | undefined, string | null>
  last_used_at: Date | null
  created_at: Date
  updated_at: Date
}

export type StackRow = {
  id: string
  owner_id: string
  name: string
  description: string
  provider: ProviderId
  builder: string
  credential_id: string
  state: StackState
  state_since: Date
  cause: string | null
  data: Json
  rhel_organization_id: string
  sealed_activation_key: string | null
  open: ColumnType<unknown, string | null | undefined, string | null>
  version: Generated<number>
  built_version: number | null
  created_at: Date
  updated_at: Date
}

export type StackRunRow = {
  id: string
  stack_id: string
  actor_id: string | null
  actor: string | null
  began_at: Date
  ended_at: Date | null
  cause: string | null
  version: number
  cancel_asked: Generated<boolean>
  finalized: Generated<boolean>
  engine_position: Generated<number>
}

type SyncedSizesRow = {
  provider: ProviderId
  region: string
  source: string
  synced_at: Date
  sizes: Json
  prices: Json
  beside: Json
}

export type StackTables = {
  credentials: CredentialRow
  credential_collaborators: { credential_id: string; user_id: string }
  credential_regions: { credential_id: string; region: string }
  stacks: StackRow
  stack_collaborators: { stack_id: string; user_id: string }
  stack_files: { stack_id: string; field: StackFileField; name: string; bytes: Buffer }
  stack_runs: StackRunRow
  stack_logs: LogRow & { stack_id: string }
  stack_images: {
    stack_id: string
    role: ImageRole
    image_id: string
    region: string
    manager: Manager
    current: boolean
    built_at: Date
    plan: ColumnType<unknown, string | null | undefined, string | null>
    simulated: boolean | null
  }
  synced_sizes: SyncedSizesRow
}
