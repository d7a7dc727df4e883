// The sign-out button of every page with a session.

import { send } from "./send.js";
import { enhance } from "./forms.js";

enhance(
  document.querySelector("#sign-out"),
  () => send("POST /auth/logout"),
  { done: () => location.assign("/") },
);
