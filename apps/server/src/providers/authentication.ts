import type { Authentication } from '@flotilla/contract/clouds/providers'

type More = Partial<Omit<Authentication, 'id' | 'label' | 'type'>>

/** A field of a credential that its managers can read. */
export const plain = (id: string, label: string, more: More = {}): Authentication => ({
  id,
  label,
  type: 'text',
  icon: 'id-card',
  required: true,
  ...more,
})

/** A write-only field of a credential. */
export const secret = (id: string, label: string, more: More = {}): Authentication => ({
  id,
  label,
  type: 'password',
  icon: 'lock',
  required: true,
  ...more,
})
