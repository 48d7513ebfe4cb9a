/** For `--import`: has the global fetch of the process use the proxy of `http_proxy`, as programs set it up. */
import { ProxyAgent, setGlobalDispatcher } from "undici";

const { http_proxy: proxy } = process.env;
if (proxy === undefined) throw new Error("Set http_proxy.");
setGlobalDispatcher(new ProxyAgent(proxy));
