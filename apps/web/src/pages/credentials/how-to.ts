import type { ProviderId } from '@flotilla/contract/site/config'

export interface HowTo {
  /** The menu path in the cloud's console where the key is created. */
  where: string
  /** A command that creates the key, with placeholders in angle brackets. */
  command?: string
  /** The permissions that the key needs. */
  rights: readonly string[]
  /** The files of the cloud that can be dropped. */
  file: string
}

/** The simplest instructions with the fewest permissions. docs/credentials.md has the details. */
export const howTo: Record<ProviderId, HowTo> = {
  aws: {
    where: 'IAM > Users > a user for this console > Security credentials > Create access key.',
    command: 'aws iam create-access-key --user-name <user>',
    rights: [
      'AmazonEC2FullAccess: machines, disks, networks and images',
      'iam:PassRole, if machines get their own role',
      'pricing:GetProducts, to sync sizes and prices',
    ],
    file: '~/.aws/credentials, the downloaded .csv, or export lines',
  },
  azure: {
    where:
      'Microsoft Entra ID > App registrations > New registration > Certificates & secrets > New client secret.',
    command:
      'az ad sp create-for-rbac --name flotilla --role Contributor --scopes /subscriptions/<subscription>',
    rights: ['Contributor on the subscription: machines, disks, networks and images in resource groups'],
    file: 'The output of az ad sp create-for-rbac',
  },
  gcp: {
    where: 'IAM & Admin > Service Accounts > one for this console > Keys > Add key > JSON.',
    command:
      'gcloud iam service-accounts keys create key.json --iam-account=<name>@<project>.iam.gserviceaccount.com',
    rights: [
      'Compute Admin (roles/compute.admin): machines, disks, networks and images',
      'Service Account User (roles/iam.serviceAccountUser), if machines use a service account',
      'The Compute Engine API enabled in the project',
    ],
    file: 'The downloaded .json key',
  },
  oracle: {
    where:
      'Your profile > API keys > Add API key. Download the private key and copy the configuration preview.',
    rights: [
      'Allow group <group> to manage instance-family in compartment <compartment>',
      'Allow group <group> to manage virtual-network-family in compartment <compartment>',
      'Allow group <group> to manage volume-family in compartment <compartment>',
    ],
    file: '~/.oci/config together with the .pem key',
  },
  maas: {
    where: 'MAAS > your name > API keys > Generate. The URL ends with /MAAS.',
    command: 'sudo maas apikey --username <admin>',
    rights: ['An administrator’s key. Other keys cannot release other users’ machines'],
    file: 'None. Paste the URL and the key into the fields below.',
  },
}
