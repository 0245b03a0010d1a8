import { apps } from '@flotilla/contract/apps/apps'
import { useApiQuery } from '../../api/query'
import { LaunchDialog } from '../../apps/launch-dialog'
import { paths, useGo } from '../../paths'

/** Starts an app that was found by name, and shows its session. */
export default function StartFound({ appId, onClose }: { appId: string; onClose: () => void }) {
  const go = useGo()
  const { data } = useApiQuery(apps.view, { id: appId })
  return (
    data && (
      <LaunchDialog
        app={data}
        onClose={onClose}
        onStarted={(cluster) => go(paths.cluster(cluster, 'apps'))}
      />
    )
  )
}
