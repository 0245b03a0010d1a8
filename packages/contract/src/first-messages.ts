/** The texts that a visitor's first page needs: it loads without all the others. */
export const firstMessages = {
  errorHeading: 'ERROR',
  unknownError: 'An unknown error occurred',
  unauthorized: 'Unauthorized',
  sessionEnded: 'Session ended.',
  sessionExpired: 'Session Expired',
  minLength4: 'Min character length is 4',
  networkError: 'Network Error',
  networkHints: [
    'Check your internet connection',
    'Ensure the server is reachable',
    'Clear cache and cookies',
  ],
  authenticatingUser: 'Authenticating User',
} as const
