// The button that is on every page of who is signed in.

import { send } from "./client.js";
import { enhance } from "./forms.js";

enhance(
  document.querySelector("#sign-out"),
  () => send("POST", "/auth/logout"),
  () => location.assign("/"),
);
