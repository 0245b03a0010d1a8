import type { Stack, StackFile, StackFileField, StackImage } from '@flotilla/contract/stacks/entity'
import type { Caller } from '../../http/caller'
import { isMine } from '../sharing/sharing'
import type { FoundStack } from './store'

export const filesOf = ({ files }: Pick<FoundStack, 'files'>, field: StackFileField): StackFile[] =>
  files.filter((file) => file.field === field).map(({ name, size }) => ({ name, size }))

export const imagesOf = ({ images }: Pick<FoundStack, 'images'>): StackImage[] =>
  images.map(({ role, image_id, region, builtAt }) => ({
    role,
    id: image_id,
    region,
    builtAt,
  }))

export const asStack = (row: FoundStack, me: Pick<Caller, 'id' | 'role'>, simulated: boolean): Stack => ({
  id: row.id,
  name: row.name,
  description: row.description,
  provider: row.provider,
  builder: row.builder,
  credential_id: row.credential_id,
  owner: row.owner,
  mine: isMine(me, row),
  collaborators: row.collaborators.map(({ username }) => username),
  data: row.data,
  provision: {
    nodeProvisioner: filesOf(row, 'nodeProvisioner')[0] ?? null,
    serverProvisioner: filesOf(row, 'serverProvisioner')[0] ?? null,
    dataFiles: filesOf(row, 'dataFiles'),
    dataFilesB: filesOf(row, 'dataFilesB'),
  },
  rhel: {
    activation_key: '',
    activationKeySet: row.sealed_activation_key !== null,
    organization_id: row.rhel_organization_id,
  },
  state: row.state,
  since: row.state_since.getTime(),
  cause: row.cause,
  canceled: row.state === 'failed' && row.cancel_asked === true,
  run: row.runs.map(({ actor, beganAt }) => ({ actor, beganAt }))[0] ?? null,
  images: imagesOf(row),
  edited: row.built_version !== null && row.built_version !== row.version,
  open: row.open,
  simulated: row.images[0]?.simulated ?? simulated,
  usedBy: row.used_by ?? 0,
  createdAt: row.created_at.getTime(),
  updatedAt: row.updated_at.getTime(),
})
