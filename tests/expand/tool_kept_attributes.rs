/// Adds.
#[must_use]
#[inline(always)]
#[mcp_tool]
#[track_caller]
#[tracing::instrument(skip_all)]
#[doc(alias = "plus")]
pub(in crate::sums) async fn add(mut a: i64, #[expect(unused)] b: i64) -> Result<i64>
where
    i64: Copy,
{
    a += b;
    Ok(a)
}
