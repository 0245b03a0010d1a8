import type { Desktop } from '@flotilla/contract/desktops/desktops'
import type { ClusterAccess } from '../clusters/open'
import type { StoredDesktop } from './store'

export type DesktopDefaults = { vncTokenAuthentication: boolean; vncRemoteClient: boolean }

/** The port of one's own computer that the tunnel listens on: display 1 of VNC viewers. */
const TUNNEL_PORT = 5901

const quoted = (word: string): string =>
  /^[\w./:@-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`

/** How a desktop is connected to, as its cluster says; as the site says for clusters that do not. */
export const makeSettings = ({
  access,
  defaults,
}: {
  access: Pick<ClusterAccess, 'desktopSettings'>
  defaults(): Promise<DesktopDefaults>
}) => ({
  async connecting({
    cluster_id,
    account,
    socket,
  }: StoredDesktop): Promise<Pick<Desktop, 'asksPassword' | 'tunnel'>> {
    const { login, chosen } = await access.desktopSettings(cluster_id)
    const { vncTokenAuthentication, vncRemoteClient } = chosen ?? (await defaults())
    const canTunnel = vncRemoteClient && login !== null && account !== null && socket !== null
    return {
      asksPassword: !vncTokenAuthentication,
      tunnel: canTunnel
        ? {
            command: `ssh -N -L ${TUNNEL_PORT}:${quoted(socket)} -p ${login.port} ${quoted(`${account}@${login.host}`)}`,
            viewer: `localhost:${TUNNEL_PORT}`,
          }
        : null,
    }
  },
})
