import { tokenScopes, type TokenScope } from '@flotilla/contract/access'

export const scopeWords: Record<TokenScope, { label: string; description: string }> = {
  read: { label: 'Read', description: 'Looks at what you may see and changes nothing.' },
  jobs: {
    label: 'Jobs',
    description: 'Reads, and makes, submits and cancels jobs, with their outputs and your files.',
  },
  all: {
    label: 'All',
    description:
      'Does what you may do, except with access tokens, sessions, passwords, private keys and people’s accounts.',
  },
}

export const scopeOptions = tokenScopes.map((value) => ({ value, ...scopeWords[value] }))

/** The secret comes from the environment: on a command line it would stay in the shell's history. */
export const exampleCall = () => `curl -H "Authorization: Bearer $TOKEN" ${location.origin}/api/jobs/`
