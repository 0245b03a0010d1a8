import type { Caller } from '../../http/caller'
import type { Viewer } from './store'

export const viewer = (me: Caller): Viewer => ({
  id: me.id,
  admin: me.role.includes('admin'),
  participant: me.role.every((role) => role === 'participant'),
})
