import type { CredentialTest } from '@flotilla/contract/clouds/credentials'
import type { Tone } from '../../../ui/status/tone'

const labels: Record<CredentialTest['outcome'], { label: string; tone: Tone }> = {
  ok: { label: 'Works', tone: 'green' },
  rights: { label: 'Missing permissions', tone: 'amber' },
  refused: { label: 'Rejected', tone: 'red' },
  clock: { label: 'Clock is wrong', tone: 'red' },
  failed: { label: 'Failed', tone: 'amber' },
}

/** The outcome of the last test as a label. */
export const testLabel = (test: CredentialTest | null): { label: string; tone: Tone } =>
  test ? labels[test.outcome] : { label: 'Not tested', tone: 'gray' }
