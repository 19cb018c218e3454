//! Figures in the dashboard: each leads to the list that it is the sum of.

use super::{Browser, EMAIL};
use crate::harness::TestApp;
use crate::harness::shop::Shop;

#[story::test(|settings| settings.pix_fee_cents = 50)]
async fn a_figure_of_the_first_page_leads_to_a_list_with_the_same_sum(test: &TestApp, shop: Shop) {
    for cents in [1_000, 2_500] {
        shop.sell(cents).await;
    }
    shop.charge(700).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let home = browser.page("/dashboard/dev").await;
    assert!(home.says("R$\u{a0}35,00") && home.says("2 de 3") && home.says("<svg"));
    let begin = "<a href=\"/dashboard/dev/figures/entries?";
    let links: Vec<_> =
        home.text.split(begin).skip(1).filter_map(|it| it.split('"').next()).collect();
    assert_eq!(links.len(), 3);
    for (link, sum) in links.into_iter().zip(["35,00", "0,00", "1,00"]) {
        let query = link.replace("&#38;", "&").replace("&amp;", "&");
        let list = browser.page(&format!("/dashboard/dev/figures/entries?{query}")).await;
        let heading = list.within("<h1", "</h1>").expect("has a heading");
        assert!(heading.contains(&format!("R$\u{a0}{sum}<")), "{heading}");
    }
}
