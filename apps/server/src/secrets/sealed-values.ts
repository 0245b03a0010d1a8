import type { Tables } from '../db/tables'

/** The context that each kind of sealed value is bound to: a value copied to another place cannot be opened there. */
export const sealContext = {
  userSshKey: (userId: string) => `user-ssh-key ${userId}`,
  clusterKey: (clusterId: string) => `cluster-key ${clusterId}`,
  clusterGivenKey: (clusterId: string) => `cluster-given-key ${clusterId}`,
  clusterSecrets: (clusterId: string) => `cluster-secrets ${clusterId}`,
  clusterRhelKey: (clusterId: string) => `cluster-rhel-key ${clusterId}`,
  clusterVpn: (clusterId: string) => `cluster-vpn ${clusterId}`,
  clusterVpnClient: (clusterId: string, serial: number) => `cluster-vpn-client ${clusterId} ${serial}`,
  credential: (id: string) => `credential ${id}`,
  stackRhelKey: (stackId: string) => `stack-rhel-key ${stackId}`,
  ldapServer: (id: string) => `ldap-server ${id}`,
  desktopPassword: (id: string) => `desktop-password ${id}`,
  accessTokenKey: () => 'access-token-key',
  mailPassword: () => 'mail-password',
  auditKey: () => 'audit-key',
  mail: () => 'task/send-mail',
}

export type SealedColumn = {
  table: keyof Tables
  column: string
  /** The columns that identify the row, from which the context is made. */
  key: string[]
  context(key: string[]): string
}

const byId = (
  table: keyof Tables,
  column: string,
  context: (id: string) => string,
  key = 'id',
): SealedColumn => ({
  table,
  column,
  key: [key],
  context: ([id = '']) => context(id),
})

/** Every column with sealed values. A rotation of the master key fails if one is missing here. */
export const sealedColumns: SealedColumn[] = [
  byId('user_ssh_keys', 'sealed_private_key', sealContext.userSshKey, 'user_id'),
  byId('clusters', 'sealed_private_key', sealContext.clusterKey),
  byId('clusters', 'sealed_given_key', sealContext.clusterGivenKey),
  byId('clusters', 'sealed_secrets', sealContext.clusterSecrets),
  byId('clusters', 'sealed_activation_key', sealContext.clusterRhelKey),
  byId('cluster_vpn', 'sealed', sealContext.clusterVpn, 'cluster_id'),
  {
    table: 'cluster_vpn_clients',
    column: 'sealed',
    key: ['cluster_id', 'serial'],
    context: ([clusterId = '', serial]) => sealContext.clusterVpnClient(clusterId, Number(serial)),
  },
  byId('credentials', 'sealed_data', sealContext.credential),
  byId('stacks', 'sealed_activation_key', sealContext.stackRhelKey),
  byId('ldap_servers', 'sealed_password', sealContext.ldapServer),
  byId('desktops', 'sealed_password', sealContext.desktopPassword),
  byId('site_settings', 'sealed_token_key', sealContext.accessTokenKey, 'only_row'),
  byId('site_settings', 'sealed_mail_password', sealContext.mailPassword, 'only_row'),
  byId('audit_state', 'sealed_key', sealContext.auditKey, 'only_row'),
]
