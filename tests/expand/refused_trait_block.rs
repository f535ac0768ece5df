#[mcp_server]
impl<T> Iterator for Store<T>
where
    T: Clone,
{
    type Item = T;

    fn next(&mut self) -> Option<T> {
        None
    }
}
