import { Search } from 'lucide-react'
import { Input } from '../form/input'

export const LogSearch = ({ value, onChange }: { value: string; onChange: (text: string) => void }) => (
  <Input
    aria-label="Search log"
    placeholder="Search log"
    icon={Search}
    spellCheck={false}
    autoComplete="off"
    value={value}
    onChange={(event) => onChange(event.target.value)}
  />
)
