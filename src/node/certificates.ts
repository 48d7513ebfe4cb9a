export { checkCertificates, secureContext } from "./tls.js";
