import type { OsType, Provider, Region } from '@flotilla/contract/clouds/providers'
import type { ControlAria } from '../ui/form/field'
import { Select } from '../ui/form/input'

interface Props {
  aria: ControlAria
  value: string
  onChange: (value: string) => void
  onBlur: () => void
  /** Shown, but cannot be changed. */
  locked?: boolean
}

/** Keeps a value from a file selectable, even if the catalog does not have it. */
const Unknown = ({ value, known }: { value: string; known: boolean }) =>
  value !== '' && !known ? <option value={value}>{value} (not in the catalog)</option> : null

export function RegionSelect({
  regions,
  aria,
  value,
  onChange,
  onBlur,
  locked,
}: Props & { regions: readonly Region[] }) {
  return (
    <Select
      {...aria}
      disabled={locked}
      value={value}
      onBlur={onBlur}
      onChange={({ target }) => onChange(target.value)}
    >
      <option value="">Choose a region</option>
      <Unknown value={value} known={regions.some(({ region_id }) => region_id === value)} />
      {regions.map(({ name, region_id }) => (
        <option key={region_id} value={region_id}>
          {name === region_id ? name : `${name}, ${region_id}`}
        </option>
      ))}
    </Select>
  )
}

export const zonesOf = (provider: Provider, region: string): NonNullable<Region['zones']> =>
  provider.regions.find(({ region_id }) => region_id === region)?.zones ?? []

export function ZoneSelect(props: Props & { provider: Provider; region: string; required: boolean }) {
  const { provider, region, required, aria, value, onChange, onBlur, locked = false } = props
  const zones = zonesOf(provider, region)
  const none = region === '' ? 'Choose a region first' : zones.length === 0 ? 'No zones in this region' : null
  return (
    <Select
      {...aria}
      disabled={locked || (none !== null && value === '')}
      value={value}
      onBlur={onBlur}
      onChange={({ target }) => onChange(target.value)}
    >
      <option value="">{none ?? (required ? 'Choose one' : 'Any')}</option>
      <Unknown value={value} known={zones.some(({ zone_id }) => zone_id === value)} />
      {zones.map(({ name, zone_id }) => (
        <option key={zone_id} value={zone_id}>
          {name}
        </option>
      ))}
    </Select>
  )
}

export function OsTypeSelect({
  osTypes,
  aria,
  value,
  onChange,
  onBlur,
  publicOnly,
}: Props & { osTypes: readonly OsType[]; publicOnly: boolean }) {
  return (
    <Select {...aria} value={value} onBlur={onBlur} onChange={({ target }) => onChange(target.value)}>
      <Unknown value={value} known={osTypes.some(({ id }) => id === value)} />
      {osTypes.map(({ id, name, endOfLife, unavailable }) => (
        <option key={id} value={id} disabled={publicOnly && unavailable !== undefined}>
          {name}
          {endOfLife && ` (end of life ${endOfLife})`}
          {unavailable !== undefined && ' (no public image available)'}
        </option>
      ))}
    </Select>
  )
}
