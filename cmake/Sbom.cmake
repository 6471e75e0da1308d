# What Firn is made of: the list that `firn --version --verbose` prints and the bill of materials (SPDX 2.3) that is
# installed. Versions are those of the Debian packages it is built with or, elsewhere, those that CMake has found.

find_program(DPKG_QUERY dpkg-query)

# firn_part(NAME PACKAGE LICENSE FOUND_VERSION): one library.
set(sbom_packages "")
set(sbom_relations "")
set(FIRN_PART_ROWS "")
function(firn_part name package license found)
  set(version "${found}")
  if(DPKG_QUERY)
    execute_process(COMMAND ${DPKG_QUERY} -W -f=\${Version} ${package} OUTPUT_VARIABLE installed ERROR_QUIET RESULT_VARIABLE missing)
    if(missing EQUAL 0 AND installed)
      set(version ${installed})
    endif()
  endif()
  if(NOT version)
    set(version unknown)
  endif()
  string(REPLACE "+" "%2B" encoded "${version}")  # as package URLs want it
  firn_sbom_entry("${name}" "${version}" "${license}" "pkg:deb/debian/${package}@${encoded}")
  set(FIRN_PART_ROWS "${FIRN_PART_ROWS}    {\"${name}\", \"${version}\", \"${license}\"},\n" PARENT_SCOPE)
  set(sbom_packages "${sbom_packages}" PARENT_SCOPE)
  set(sbom_relations "${sbom_relations}" PARENT_SCOPE)
endfunction()

# Adds to the lists of the caller.
macro(firn_sbom_entry name version license locator)
  string(MAKE_C_IDENTIFIER "${name}" id)
  string(REPLACE "_" "-" id "${id}")
  string(APPEND sbom_packages ",
    {\"SPDXID\": \"SPDXRef-${id}\", \"name\": \"${name}\", \"versionInfo\": \"${version}\", \"downloadLocation\": \"NOASSERTION\",
     \"filesAnalyzed\": false, \"licenseConcluded\": \"${license}\", \"licenseDeclared\": \"${license}\", \"copyrightText\": \"NOASSERTION\",
     \"externalRefs\": [{\"referenceCategory\": \"PACKAGE-MANAGER\", \"referenceType\": \"purl\", \"referenceLocator\": \"${locator}\"}]}")
  string(APPEND sbom_relations ",
    {\"spdxElementId\": \"SPDXRef-firn\", \"relationshipType\": \"DEPENDS_ON\", \"relatedSpdxElement\": \"SPDXRef-${id}\"}")
endmacro()

firn_part(CaDiCaL libcadical-dev MIT "")
firn_part(CLI11 libcli11-dev BSD-3-Clause "${CLI11_VERSION}")
firn_part(fmt libfmt-dev MIT "${fmt_VERSION}")
firn_part(Highway libhwy-dev Apache-2.0 "${hwy_VERSION}")
firn_part(libarchive libarchive-dev BSD-2-Clause "${LibArchive_VERSION}")
firn_part(libpng libpng-dev libpng-2.0 "${PNG_VERSION_STRING}")
firn_part(nlohmann-json nlohmann-json3-dev MIT "${nlohmann_json_VERSION}")
if(MPI_CXX_FOUND)
  firn_part(MPI libopenmpi-dev BSD-3-Clause "${MPI_CXX_VERSION}")
endif()
firn_part(oneTBB libtbb-dev Apache-2.0 "${TBB_VERSION}")
firn_part(OpenSSL libssl-dev Apache-2.0 "${OPENSSL_VERSION}")
firn_part(Random123 librandom123-dev BSD-3-Clause "")
firn_part(tomlplusplus libtomlplusplus-dev MIT "${tomlplusplus_VERSION}")
firn_part(xxHash libxxhash-dev BSD-2-Clause "")
firn_part(zlib zlib1g-dev Zlib "${ZLIB_VERSION_STRING}")

# Packages that are bundled into the page of reports, as their lock file fixes them.
set(lock_file ${PROJECT_SOURCE_DIR}/firn/report/web/package-lock.json)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${lock_file})
file(READ ${lock_file} lock)
string(JSON count LENGTH "${lock}" packages)
math(EXPR last "${count} - 1")
foreach(i RANGE ${last})
  string(JSON path MEMBER "${lock}" packages ${i})
  string(JSON is_dev ERROR_VARIABLE none GET "${lock}" packages "${path}" dev)
  if(path MATCHES "node_modules/([^ ]+)$" AND NOT is_dev STREQUAL "ON")
    set(name ${CMAKE_MATCH_1})
    string(JSON version GET "${lock}" packages "${path}" version)
    string(JSON license ERROR_VARIABLE none GET "${lock}" packages "${path}" license)
    if(NOT license)
      set(license NOASSERTION)
    endif()
    string(REPLACE "@" "%40" escaped "${name}")
    firn_sbom_entry("npm ${name}" "${version}" "${license}" "pkg:npm/${escaped}@${version}")
  endif()
endforeach()

string(TIMESTAMP created "%Y-%m-%dT%H:%M:%SZ" UTC)  # or as SOURCE_DATE_EPOCH says
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/firn.spdx.json @ONLY CONTENT "{
  \"spdxVersion\": \"SPDX-2.3\",
  \"dataLicense\": \"CC0-1.0\",
  \"SPDXID\": \"SPDXRef-DOCUMENT\",
  \"name\": \"firn-@PROJECT_VERSION@\",
  \"documentNamespace\": \"urn:firn:sbom:@PROJECT_VERSION@\",
  \"creationInfo\": {\"created\": \"@created@\", \"creators\": [\"Tool: CMake-@CMAKE_VERSION@\"]},
  \"packages\": [
    {\"SPDXID\": \"SPDXRef-firn\", \"name\": \"firn\", \"versionInfo\": \"@PROJECT_VERSION@\", \"downloadLocation\": \"NOASSERTION\",
     \"filesAnalyzed\": false, \"licenseConcluded\": \"MIT\", \"licenseDeclared\": \"MIT\", \"copyrightText\": \"Copyright (c) 2026 The Firn authors\"}@sbom_packages@
  ],
  \"relationships\": [
    {\"spdxElementId\": \"SPDXRef-DOCUMENT\", \"relationshipType\": \"DESCRIBES\", \"relatedSpdxElement\": \"SPDXRef-firn\"}@sbom_relations@
  ]
}
")
install(FILES ${PROJECT_BINARY_DIR}/firn.spdx.json DESTINATION ${CMAKE_INSTALL_DATADIR}/firn)
