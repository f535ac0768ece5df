#[path="it/schemas/mod.rs"]
mod schemas;
