// The measured server on the TypeScript SDK, over stdio.
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { z } from "zod";

const server = new McpServer({ name: "bench", version: "1.0.0" });
const text = (text) => ({ content: [{ type: "text", text }] });

server.registerTool(
    "add",
    { description: "Adds two numbers", inputSchema: { a: z.number().int(), b: z.number().int() } },
    async ({ a, b }) => text(String(a + b)),
);
server.registerTool(
    "echo",
    { description: "Gives a message back", inputSchema: { message: z.string() } },
    async ({ message }) => text(message),
);
server.registerTool(
    "big",
    { description: "Gives a text of that many KiB", inputSchema: { n: z.number().int() } },
    async ({ n }) => text("0123456789abcdef".repeat((n * 1024) / 16)),
);

await server.connect(new StdioServerTransport());
