#[mcp_server]
impl<T: Repository, const N: usize> Store<T, N>
where
    T: Clone,
{
    /// The value at an index.
    #[mcp_tool]
    fn value(&self, index: usize) -> String {
        self.values[index].clone()
    }
}
