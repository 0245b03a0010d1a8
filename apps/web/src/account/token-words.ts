import { tokenScopes, type TokenScope } from '@flotilla/contract/access'

export const scopeWords: Record<TokenScope, { label: string; description: string }> = {
  read: { label: 'Read', description: 'Reads everything you can see and changes nothing.' },
  jobs: {
    label: 'Jobs',
    description: 'Also creates, submits and cancels jobs, and reads and writes your files.',
  },
  all: {
    label: 'All',
    description:
      'Everything you can do, except managing access tokens, sessions, passwords, private keys and people’s accounts.',
  },
}

export const scopeOptions = tokenScopes.map((value) => ({ value, ...scopeWords[value] }))

/** The secret comes from the environment: on a command line it would stay in the shell's history. */
export const exampleCall = () => `curl -H "Authorization: Bearer $TOKEN" ${location.origin}/api/jobs/`
