/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.access;

import io.forebay.operations.Actor;
import java.io.Serializable;
import java.util.function.BooleanSupplier;

/**
 * A caller whose token, JWT or session is valid. A session can store one whom the OpenID provider
 * identified.
 *
 * @param kind what its name is the name of
 * @param isStillValid whether that token or session still exists and gives the same rights, or the
 *     JWT has not expired; it keeps none of them and never waits
 */
public record Admitted(Actor.Kind kind, TokenOwner caller, BooleanSupplier isStillValid)
    implements Serializable {}
