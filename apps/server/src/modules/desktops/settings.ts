import type { Desktop } from '@flotilla/contract/desktops/desktops'
import type { ClusterAccess } from '../clusters/open'
import type { StoredDesktop } from './store'

export type DesktopDefaults = { vncTokenAuthentication: boolean; vncRemoteClient: boolean }

/** The local port of the tunnel on the user's computer, which is display 1 in VNC viewers. */
const TUNNEL_PORT = 5901

const quoted = (word: string): string =>
  /^[\w./:@-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`

/** How users connect to a desktop: by the setting of its cluster or else the default of the site. */
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
