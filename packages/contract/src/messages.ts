import { firstMessages } from './first-messages'

/** The specification's texts, word for word, with their oddities. */
export const messages = {
  ...firstMessages,
  authenticationError: 'Authentication Error',
  anErrorOccurred: 'An error occurred',
  unknownTrainingError: 'An unknown error has occurred.',
  close: 'Close',

  minLength2: 'Min character length is 2',
  unixAccountCharacters: 'Use only letters, numbers, dots, dashes, @ and underscores',
  usernameCharacters: 'Use only letters and numbers. The first character must be a letter.',
  usernameRestricted: 'This username is restricted',
  firstNameCharacters: 'First name contains invalid characters',
  lastNameCharacters: 'Last name contains invalid characters',
  email: 'Enter a valid email',
  password:
    'Must be at least 8 characters long containing at least 1 lowercase, 1 uppercase, 1 numeric, and 1 special character such as !@#$%^&*.',
  passwordsDiffer: 'Passwords do not match',

  noLdapServers: 'No LDAP Servers Available',
  noLdapServersHint: 'Contact your administrator to configure LDAP authentication.',
  ldapServerUpdated: 'LDAP Server Updated Successfully',
  ldapServerAdded: 'LDAP Server Added Successfully',
  ldapServerDeleted: 'LDAP Server Deleted Successfully',

  twoStepUpdated: 'Two Step Verification Settings Updated Successfully',
  twoStepUpdateFailed: 'Error updating Two Step Verification Settings',
  twoStepAdded: 'Two Step Verification Settings Added Successfully',
  twoStepAddFailed: 'Error adding Two Step Verification Settings',

  verificationFailed: 'Verification failed',
  invalidCode: 'Invalid or expired verification code',
  unexpectedError: 'An unexpected error occurred',
  resendFailed: 'Failed to resend code.',

  licenseField: 'Invalid License',
  licenseInvalid: 'The license is invalid, please request the administrator to update it.',
  licenseHeading: 'Something went wrong, if the problem persists please contact support.',

  recoveryEmailSent: 'Recovery email sent',
  passwordReset: 'Password Reset Successful',
  userUpdated: 'User Updated',
  ownUserUpdated: 'User Updated, you must log in again to see the changes',
  passwordUpdated: 'Password Updated',
  userDeleted: 'Deleted User',
  userCreated: 'User created successfully',

  clusterDeleted: 'Cluster Deleted',
  clusterPlanInitiated: 'Cluster Plan Initiated',
  clusterDeployInitiated: 'Cluster Deploy Initiated',
  clusterStopInitiated: 'Cluster Stop Initiated',
  clusterStartInitiated: 'Cluster Start Initiated',
  clusterDestroyInitiated: 'Cluster Destroy Initiated',
  openvpnInitiated: 'OpenVPN Change Initiated',
  fastRestoreInitiated: 'Fast Snapshot Restore Change Initiated',
  nodeDeployInitiated: 'Node Deploy Initiated',
  nodeDestroyInitiated: 'Node Destroy Initiated',
  addDisksInitiated: 'Add Disks Initiated',
  resizeInitiated: 'Cluster Resize Initiated',
  burstModeFailed: 'Something went wrong while attempting to change the burst mode',
  credentialDeleted: 'Credential Deleted',
  stackDeleted: 'Stack Deleted',
  stackDeleteFailed: 'An error occurred while deleting the stack',
  acmShapesSynced: 'ACM Shapes Synced Successfully',
  shapesSynced: 'Cloud Provider Shapes Synced Successfully',
  nodesReleased: 'All Nodes Released Successfully',
  hostnamesInvalid: 'Invalid or empty hostnames array provided.',
  syncNeedsCredential: 'Please select an AWS credential to sync shapes',
  syncNeedsRegion: 'Please select a region to sync shapes',
  sshKeyUploaded: 'SSH key uploaded successfully',
  sshKeyUploadFailed: 'Failed to upload SSH key',
  workshopDeleted: 'Workshop Deleted',
  terminateVncFailed: 'Failed to terminate VNC sessions',
  removeUsersFailed: 'Failed to remove users completely',
  jobSaved: 'Job Saved',
  jobUpdated: 'Job Updated',
  jobDeleted: 'Job Deleted',
  jobSubmitted: 'Job Submitted',
  jobCanceled: 'Job Canceled',
  onlyAdminsPurge: 'Only admins can purge jobs from the queue',
  cannotPurge: 'This resource manager cleans up jobs on failed nodes automatically',
  jobCancelWaits: 'The job cannot be canceled yet. The console will keep trying.',
  fileDeleted: 'File Deleted',

  submittingJob: 'Submitting Job',
  deletingFile: 'Deleting File',
  creatingUser: 'Creating User',

  noResults: 'No results..',
} as const

/** 'Grater than' is the specification's spelling. */
export const filterTypes = {
  contains: 'Contains',
  startsWith: 'Starts with',
  endsWith: 'Ends with',
  matches: 'Matches',
  greaterThan: 'Grater than',
  lessThan: 'Less than',
} as const
export type FilterType = keyof typeof filterTypes
