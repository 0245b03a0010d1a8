import type { CredentialTest } from '@flotilla/contract/clouds/credentials'
import type { Tone } from '../../../ui/tone'

const words: Record<CredentialTest['outcome'], { word: string; tone: Tone }> = {
  ok: { word: 'Works', tone: 'green' },
  rights: { word: 'Missing permissions', tone: 'amber' },
  refused: { word: 'Rejected', tone: 'red' },
  clock: { word: 'Clock is wrong', tone: 'red' },
  failed: { word: 'Failed', tone: 'amber' },
}

/** What the last test found, in a word. */
export const testWord = (test: CredentialTest | null): { word: string; tone: Tone } =>
  test ? words[test.outcome] : { word: 'Not tested', tone: 'gray' }
