import { Cloud, Download, HardDrive, Play, Plus, Search, Server, Settings } from 'lucide-react'
import { useState } from 'react'
import { Badge } from '../ui/status/badge'
import { Button, IconButton } from '../ui/button/button'
import { Card } from '../ui/layout/card'
import { Checkbox } from '../ui/form/checkbox'
import { Field } from '../ui/form/field'
import { Input, Select, Textarea } from '../ui/form/input'
import { ButtonLink, ExternalLink, TextLink } from '../ui/button/link'
import { PasswordInput } from '../ui/form/password-input'
import { RadioCards } from '../ui/form/radio-cards'
import { Status } from '../ui/status/status'
import { Switch } from '../ui/form/switch'
import { Example } from './section'

export function Controls() {
  const [on, setOn] = useState(true)
  const [provider, setProvider] = useState('aws')
  return (
    <Card title="Controls" description="32 px in the console, 40 px on the login page.">
      <div className="grid gap-6 lg:grid-cols-2">
        <Example name="Buttons">
          <div className="flex flex-wrap items-center gap-2">
            <Button variant="primary" icon={Plus}>
              New cluster
            </Button>
            <Button icon={Download}>Download</Button>
            <Button variant="ghost">Cancel</Button>
            <Button variant="danger">Destroy</Button>
            <IconButton label="Settings" icon={Settings} />
            <IconButton label="Run" icon={Play} variant="secondary" />
          </div>
          <div className="flex flex-wrap items-center gap-2">
            <Button variant="primary" busy>
              Deploying
            </Button>
            <Button disabledReason="The cluster is already stopped">Stop</Button>
            <Button variant="primary" disabledReason="Choose a job first">
              Submit
            </Button>
            <Button disabled>Disabled</Button>
            <IconButton label="Run" icon={Play} disabledReason="No node is available" />
            <ButtonLink to="/clusters" icon={Server}>
              Clusters
            </ButtonLink>
          </div>
          <div className="flex flex-wrap items-center gap-2">
            <Button variant="primary" size="l">
              Log in
            </Button>
            <Button size="l">Log in with LDAP</Button>
          </div>
        </Example>
        <Example name="Status, badges, links">
          <div className="flex flex-wrap gap-x-5 gap-y-2">
            <Status tone="green">available</Status>
            <Status tone="blue" detail="3 of 8 nodes">
              deploying
            </Status>
            <Status tone="amber">degraded</Status>
            <Status tone="red">failed</Status>
            <Status tone="gray">stopped</Status>
          </div>
          <div className="flex flex-wrap gap-2">
            <Badge>user</Badge>
            <Badge tone="blue">instructor</Badge>
            <Badge tone="green">Slurm 22.05</Badge>
            <Badge tone="amber">simulated</Badge>
            <Badge tone="red">expired</Badge>
          </div>
          <p className="text-body text-ink-2">
            See <TextLink to="/clusters">all clusters</TextLink> or read{' '}
            <ExternalLink href="https://slurm.schedmd.com/">the scheduler&apos;s manual</ExternalLink>.
          </p>
        </Example>
        <Example name="Fields">
          <Field label="Cluster name" hint="Letters, digits and dashes.">
            {(aria) => <Input {...aria} defaultValue="aurora-cfd" />}
          </Field>
          <Field label="Password" error="Min character length is 4">
            {(aria) => <PasswordInput {...aria} defaultValue="abc" />}
          </Field>
          <Field label="Region" optional>
            {(aria) => (
              <Select {...aria} defaultValue="eu-central-1">
                <option>us-east-1</option>
                <option>eu-central-1</option>
              </Select>
            )}
          </Field>
          <Field label="Search" hideLabel>
            {(aria) => <Input {...aria} icon={Search} placeholder="Search jobs, clusters, people" />}
          </Field>
          <Field label="Path">{(aria) => <Input {...aria} mono readOnly value="/home/ada/run.sh" />}</Field>
        </Example>
        <Example name="Choices">
          <Field label="Start script">
            {(aria) => (
              <Textarea {...aria} mono defaultValue={'#!/bin/sh\nmodule load openmpi\nsrun ./solve'} />
            )}
          </Field>
          <Checkbox label="Run as admin" hint="Uses the cluster's admin account." defaultChecked />
          <Checkbox label="Some of them" indeterminate checked onChange={() => {}} />
          <Checkbox label="Not now" disabled />
          <Switch
            label="Registration"
            hint="People may create accounts themselves."
            checked={on}
            onChange={setOn}
          />
          <Switch label="Two-step verification" checked={!on} onChange={() => setOn(!on)} />
        </Example>
        <div className="lg:col-span-2">
          <RadioCards
            legend="Provider"
            name="provider"
            value={provider}
            onChange={setProvider}
            columns={3}
            options={[
              { value: 'aws', label: 'AWS', icon: Cloud, description: 'Eight regions with images.' },
              { value: 'local', label: 'This machine', icon: HardDrive, description: 'No cloud needed.' },
              { value: 'gcp', label: 'Google Cloud', icon: Cloud, disabledReason: 'Add a credential first.' },
            ]}
          />
        </div>
      </div>
    </Card>
  )
}
