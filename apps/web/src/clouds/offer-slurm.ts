import type { ApiError } from '@flotilla/client/api-error'
import { showError } from '../api/errors'

/** Offers Slurm when Torque is unavailable. `change` switches the entity to Slurm and reports its own failure. */
export const offerSlurm =
  (change: (id: string) => Promise<void>) =>
  ({ code }: ApiError, { body: { id } }: { body: { id: string } }) =>
    code === 'no_torque'
      ? { label: 'Use Slurm instead', run: () => void change(id).catch(showError) }
      : undefined
