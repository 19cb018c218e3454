-- Serves an affiliate's statement of one payment: whose sale it was.
create index affiliate_commissions_payment
    on affiliate_commissions (affiliate_id, mode, transaction_id)
 where type <> 'CLAWBACK';
