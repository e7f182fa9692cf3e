/** What a visitor holds, as far as the user agent tells. */
export type Device = 'Desktop' | 'Mobile' | 'Tablet' | 'Other'
