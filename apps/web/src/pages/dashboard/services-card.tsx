import type { ServiceStatus } from '@flotilla/contract/clusters/dashboard'
import { paths } from '../../paths'
import { Card } from '../../ui/layout/card'
import { ButtonLink } from '../../ui/button/link'
import { sizeText } from '../../ui/text/size-text'
import { Status } from '../../ui/status/status'

export function ServicesCard({ services }: { services: readonly ServiceStatus[] }) {
  return (
    <Card title="Services" flush actions={<ButtonLink to={paths.settings('doctor')}>Doctor</ButtonLink>}>
      <ul className="divide-y divide-line-1 border-t border-line-1">
        {services.map((service) => (
          <Service key={service.service} {...service} />
        ))}
      </ul>
    </Card>
  )
}

function Service({ service, running, message, cpu, memory, disk }: ServiceStatus) {
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 px-4 py-2.5 text-body">
      <div className="min-w-0 flex-1 basis-40">
        <Status tone={running ? 'green' : 'red'}>
          <span className="font-medium">{service}</span>
        </Status>
        <p className="pl-4 text-ink-2 wrap-anywhere">{message}</p>
      </div>
      {(cpu !== null || memory !== null || disk !== null) && (
        <p className="flex flex-wrap gap-x-3 pl-4 text-label text-ink-3 tabular-nums">
          {cpu !== null && <span>{`CPU ${cpu < 10 ? cpu.toFixed(1) : Math.round(cpu)}%`}</span>}
          {memory !== null && <span>{`${sizeText(memory)} memory`}</span>}
          {disk && <span>{`${sizeText(disk.used)} of ${sizeText(disk.total)} disk`}</span>}
        </p>
      )}
    </li>
  )
}
