//! The products that other forms offer.

use db::tx::Tx;

use crate::app::App;
use crate::platform::error::Result;
use crate::platform::http::listing::ListQuery;
use crate::platform::http::page::PageQuery;
use crate::platform::ids::{ProductId, Scope};
use crate::products::{self, Product, Status};

/// How many products a form offers beside those that it names: the newest.
pub const OFFERED: i64 = 100;

/// The products that a form offers.
pub struct Offer {
    pub products: Vec<Product>,
    /// Those that the form names and that were deleted, by their names.
    pub deleted: Vec<(ProductId, String)>,
}

/// The newest products, of one status or of all, and those that a form names.
pub async fn offer(
    app: &App,
    scope: Scope,
    status: Option<Status>,
    named: Vec<ProductId>,
) -> Result<Offer> {
    let page = PageQuery { limit: Some(OFFERED), ..PageQuery::default() };
    let filter = ListQuery::new(status, None).read(&page)?;
    let unit = async move |tx: &Tx| {
        let newest = products::page(tx, scope, &filter).await?.rows;
        let found = products::find_many(tx, scope, &named).await?;
        let deleted = products::names_of_deleted(tx, scope, &named).await?;
        Ok((newest, found, deleted))
    };
    let (mut products, mut named, deleted) = app.scan_for(scope.merchant, unit).await?;
    for product in &products {
        named.remove(&product.id);
    }
    products.extend(named.into_values());
    Ok(Offer { products, deleted: deleted.into_iter().collect() })
}
