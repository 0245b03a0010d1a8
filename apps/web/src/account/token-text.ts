import { tokenScopes, type TokenScope } from '@flotilla/contract/access'

export const scopeTexts: Record<TokenScope, { label: string; description: string }> = {
  read: { label: 'Read', description: 'Read-only access to everything you can see.' },
  jobs: {
    label: 'Jobs',
    description: 'Also create, submit and cancel jobs, and read and write your files.',
  },
  all: {
    label: 'All',
    description:
      'Everything you can do, except manage access tokens, sessions, passwords, private keys and user accounts.',
  },
}

export const scopeOptions = tokenScopes.map((value) => ({ value, ...scopeTexts[value] }))

/** The secret comes from the environment: on the command line, it would stay in the shell's history. */
export const exampleCall = () => `curl -H "Authorization: Bearer $TOKEN" ${location.origin}/api/jobs/`
