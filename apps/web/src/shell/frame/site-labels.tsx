import { useConfig } from '../../api/config'
import { Badge } from '../../ui/status/badge'

/** Labels that distinguish this site from others. A simulated cloud is always labeled as such. */
export function SiteLabels({ inRow = false }: { inRow?: boolean }) {
  const { simulated, siteLabel } = useConfig()
  if (!simulated && siteLabel === null) return null
  return (
    <span className={inRow ? 'flex gap-2' : 'flex flex-col items-end gap-0.5 sm:flex-row sm:gap-2'}>
      {siteLabel !== null && <Badge tone="blue">{siteLabel}</Badge>}
      {simulated && <Badge tone="amber">Simulated cloud</Badge>}
    </span>
  )
}
