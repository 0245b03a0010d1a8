import type { ApiError } from '@flotilla/client/api-error'
import { showError } from '../api/errors'

/** The way out of a refusal for want of Torque. `change` gives the thing Slurm; what it sends tells its own failure. */
export const offerSlurm =
  (change: (id: string) => Promise<void>) =>
  ({ code }: ApiError, { body: { id } }: { body: { id: string } }) =>
    code === 'no_torque'
      ? { label: 'Use Slurm instead', run: () => void change(id).catch(showError) }
      : undefined
