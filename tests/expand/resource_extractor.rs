#[mcp_resource(uri = "weather://stations")]
fn stations(context: Context, names: State<Names>) -> String {
    names.join(context)
}
