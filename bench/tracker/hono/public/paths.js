/** Where this version signs in and out. */
export const signIn = "/api/auth/sign-in/email";
export const signOut = "/api/auth/sign-out";
