import type { Found, Parsed } from './found'
import { present } from './found'
import { unquoted } from './ini'

/** Matches shell assignments: `export A=b`, `set A=b`, `$Env:A="b"`. */
const LINE = /^\s*(?:export\s+|set\s+|\$env:)?([A-Z][A-Z0-9_]*)\s*=\s*(.+?)\s*;?\s*$/gim

export function parseEnvironment(text: string): Parsed | null {
  const values = new Map(
    [...text.matchAll(LINE)].map(([, name = '', value = '']) => [name.toUpperCase(), unquoted(value)]),
  )
  const first = (...names: string[]) => names.map((name) => values.get(name)).find(Boolean)
  const found: Found[] = []
  if (first('AWS_ACCESS_KEY_ID'))
    found.push({
      provider: 'aws',
      label: null,
      data: present({
        access_key: first('AWS_ACCESS_KEY_ID'),
        secret_key: first('AWS_SECRET_ACCESS_KEY'),
        session_token: first('AWS_SESSION_TOKEN'),
      }),
      ...optional(first('AWS_REGION', 'AWS_DEFAULT_REGION')),
    })
  if (first('ARM_CLIENT_ID', 'AZURE_CLIENT_ID'))
    found.push({
      provider: 'azure',
      label: null,
      data: present({
        client_id: first('ARM_CLIENT_ID', 'AZURE_CLIENT_ID'),
        client_secret: first('ARM_CLIENT_SECRET', 'AZURE_CLIENT_SECRET'),
        subscription_id: first('ARM_SUBSCRIPTION_ID', 'AZURE_SUBSCRIPTION_ID'),
        tenant_id: first('ARM_TENANT_ID', 'AZURE_TENANT_ID'),
      }),
    })
  return found.length > 0 ? { found, problems: [] } : null
}

const optional = (region: string | undefined): { region?: string } => (region ? { region } : {})
