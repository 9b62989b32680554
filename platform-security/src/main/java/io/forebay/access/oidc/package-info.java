/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** Callers whom an OpenID provider identifies: bearer tokens as JWTs, and what their groups may. */
@NullMarked
package io.forebay.access.oidc;

import org.jspecify.annotations.NullMarked;
