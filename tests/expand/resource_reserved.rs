#[mcp_resource(uri = "file:///{+path}/v{version}.txt")]
fn file(#[mcp(name = "path")] place: PathBuf, version: u32) -> Result<String, ResourceError> {
    read(place, version)
}
