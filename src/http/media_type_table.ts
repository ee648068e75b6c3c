/**
 * Subtypes by type, each with its extensions; a subtype without any is its own extension. They come from npm's `mrmime`
 * (MIT, Luke Edwards), plus common ones that it lacks or that IANA has since renamed. Tests compare the two.
 */
const SUBTYPES: Readonly<Record<string, string>> = {
  application: `andrew-inset ez, appinstaller, applixware aw, appx, appxbundle, atom+xml atom, atomcat+xml atomcat,
atomdeleted+xml atomdeleted, atomsvc+xml atomsvc, atsc-dwd+xml dwd, atsc-held+xml held, atsc-rsat+xml rsat,
automationml-aml+xml aml, automationml-amlx+zip amlx, bdoc, calendar+xml xcs, ccxml+xml ccxml, cdfx+xml cdfx,
cdmi-capability cdmia, cdmi-container cdmic, cdmi-domain cdmid, cdmi-object cdmio, cdmi-queue cdmiq, cpl+xml cpl,
cu-seeme cu, cwl, dash+xml mpd, dash-patch+xml mpp, davmount+xml davmount, docbook+xml dbk, dssc+der dssc,
dssc+xml xdssc, ecmascript ecma, emma+xml emma, emotionml+xml emotionml, epub+zip epub, exi, express exp, fdf,
fdt+xml fdt, font-tdpfr pfr, geo+json geojson, gml+xml gml, gpx+xml gpx, gxf, gzip gz, hjson, hyperstudio stk,
inkml+xml ink inkml, ipfix, its+xml its, java-archive ear jar war, java-serialized-object ser, java-vm class,
json json map, json5, jsonml+json jsonml, ld+json jsonld, lgr+xml lgr, lost+xml lostxml, mac-binhex40 hqx,
mac-compactpro cpt, mads+xml mads, manifest+json webmanifest, marc mrc, marcxml+xml mrcx, mathematica ma mb nb,
mathml+xml mathml, mbox, media-policy-dataset+xml mpf, mediaservercontrol+xml mscml, metalink+xml metalink,
metalink4+xml meta4, mets+xml mets, mmt-aei+xml maei, mmt-usd+xml musd, mods+xml mods, mp21 m21 mp21,
mp4 m4p mp4s, msix, msixbundle, msword doc dot, mxf, n-quads nq, n-triples nt, node cjs,
octet-stream bin bpk buffer deb deploy dist distz dll dmg dms dump elc exe img iso lrf mar msi msm msp pkg so,
oda, oebps-package+xml opf, ogg ogx, omdoc+xml omdoc, onenote onepkg onetmp onetoc onetoc2, oxps,
p2p-overlay+xml relo, patch-ops-error+xml xer, pdf, pgp-encrypted pgp, pgp-keys asc, pgp-signature sig,
pics-rules prf, pkcs10 p10, pkcs7-mime p7c p7m, pkcs7-signature p7s, pkcs8 p8, pkix-attr-cert ac, pkix-cert cer,
pkix-crl crl, pkix-pkipath pkipath, pkixcmp pki, pls+xml pls, postscript ai eps ps, provenance+xml provx,
prs.cww cww, prs.xsf+xml xsf, pskc+xml pskcxml, raml+yaml raml, rdf+xml owl rdf, reginfo+xml rif,
relax-ng-compact-syntax rnc, resource-lists+xml rl, resource-lists-diff+xml rld, rls-services+xml rs,
route-apd+xml rapd, route-s-tsid+xml sls, route-usd+xml rusd, rpki-ghostbusters gbr, rpki-manifest mft,
rpki-roa roa, rsd+xml rsd, rss+xml rss, rtf, sbml+xml sbml, scvp-cv-request scq, scvp-cv-response scs,
scvp-vp-request spq, scvp-vp-response spp, sdp, senml+xml senmlx, sensml+xml sensmlx,
set-payment-initiation setpay, set-registration-initiation setreg, shf+xml shf, sieve sieve siv,
smil+xml smi smil, sparql-query rq, sparql-results+xml srx, sql, srgs gram, srgs+xml grxml, sru+xml sru,
ssdl+xml ssdl, ssml+xml ssml, swid+xml swidtag, tei+xml tei teicorpus, thraud+xml tfi, timestamped-data tsd, toml,
trig, ttml+xml ttml, ubjson ubj, urc-ressheet+xml rsheet, urc-targetdesc+xml td, vnd.android.package-archive apk,
vnd.apple.mpegurl m3u8, vnd.google-earth.kml+xml kml, vnd.google-earth.kmz kmz, vnd.ms-excel xls,
vnd.ms-fontobject eot, vnd.ms-powerpoint ppt, vnd.oasis.opendocument.presentation odp,
vnd.oasis.opendocument.spreadsheet ods, vnd.oasis.opendocument.text odt,
vnd.openxmlformats-officedocument.presentationml.presentation pptx,
vnd.openxmlformats-officedocument.spreadsheetml.sheet xlsx,
vnd.openxmlformats-officedocument.wordprocessingml.document docx, vnd.rar rar, voicexml+xml vxml, wasm,
watcherinfo+xml wif, widget wgt, winhlp hlp, wsdl+xml wsdl, wspolicy+xml wspolicy, x-7z-compressed 7z,
x-bittorrent torrent, x-bzip2 bz2, x-chrome-extension crx, x-mobipocket-ebook mobi, x-pkcs12 p12,
x-redhat-package-manager rpm, x-sh sh, x-subrip srt, x-tar tar, x-x509-ca-cert pem, x-xz xz, xaml+xml xaml,
xcap-att+xml xav, xcap-caps+xml xca, xcap-diff+xml xdf, xcap-el+xml xel, xcap-ns+xml xns, xenc+xml xenc, xfdf,
xhtml+xml xht xhtml, xliff+xml xlf, xml rng xml xsd xsl xslt, xml-dtd dtd, xop+xml xop, xproc+xml xpl,
xspf+xml xspf, xv+xml mxml xhvml xvm xvml, yang, yin+xml yin, zip`,
  audio: `aac aac adts, adpcm adp, amr, basic au snd, midi kar mid midi rmi, mobile-xmf mxmf, mp4 m4a m4b mp4a,
mpeg m2a m3a mp2 mp2a mp3 mpga, ogg oga ogg opus spx, s3m, silk sil, wav, webm weba, x-aiff aif aiff, x-flac flac,
x-matroska mka, x-mpegurl m3u, x-ms-wma wma, xm`,
  font: `collection ttc, otf, ttf, woff, woff2`,
  image: `aces exr, apng, avci, avcs, avif, bmp bmp dib, cgm, dicom-rle drle, dpx, emf, fits, g3fax g3, gif, heic,
heic-sequence heics, heif, heif-sequence heifs, hej2k hej2, hsj2, ief, jls, jp2 jp2 jpg2, jpeg jpe jpeg jpg, jph,
jphc jhc, jpm jpgm jpm, jpx jpf jpx, jxl, jxr, jxra, jxrs, jxs, jxsc, jxsi, jxss, ktx, ktx2, png,
prs.btif btf btif, prs.pti pti, sgi, svg+xml svg svgz, t38, tiff tif tiff, tiff-fx tfx, vnd.adobe.photoshop psd,
vnd.microsoft.icon ico, webp, wmf`,
  message: `disposition-notification, global u8msg, global-delivery-status u8dsn, global-disposition-notification u8mdn,
global-headers u8hdr, rfc822 eml mime`,
  model: `3mf, gltf+json gltf, gltf-binary glb, iges iges igs, jt, mesh mesh msh silo, mtl, obj, prc, step+xml stpx,
step+zip stpz, step-xml+zip stpxz, stl, u3d, vrml vrml wrl, x3d+binary x3dbz, x3d+fastinfoset x3db,
x3d+vrml x3dvz, x3d+xml x3d x3dz, x3d-vrml x3dv`,
  text:
    `cache-manifest appcache manifest, calendar ics ifb, coffeescript coffee litcoffee, css, csv, html htm html shtml,
jade, javascript js mjs, jsx, less, markdown markdown md, mathml mml, mdx, n3,
plain conf def in ini list log text txt, prs.lines.tag dsc, richtext rtx, sgml sgm sgml, shex, slim slim slm,
spdx, stylus styl stylus, tab-separated-values tsv, troff man me ms roff t tr, turtle ttl, uri-list uri uris urls,
vcard, vtt, wgsl, x-component htc, x-handlebars-template hbs, x-vcard vcf, yaml yaml yml`,
  video: `3gpp 3gp 3gpp, 3gpp2 3g2, h261, h263, h264, iso.segment m4s, jpeg jpgv, mj2 mj2 mjp2, mp2t m2t m2ts mts ts,
mp4 mp4 mp4v mpg4, mpeg m1v m2v mpe mpeg mpg, ogg ogv, quicktime mov qt, webm, x-flv flv, x-m4v m4v,
x-matroska mkv, x-ms-wmv wmv, x-msvideo avi`,
};

/** Creates the table of media types by extension. */
export function typesByExtension(): Map<string, string> {
  const types = new Map<string, string>();
  for (const [type, list] of Object.entries(SUBTYPES)) {
    for (const entry of list.split(/,[ \n]/)) {
      const [subtype, ...extensions] = entry.split(" ");
      for (const one of extensions.length === 0 ? [subtype!] : extensions) types.set(one, `${type}/${subtype}`);
    }
  }
  return types;
}
